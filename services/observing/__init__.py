"""What an operator sees: structured logs on standard error, and Prometheus metrics."""
