"""The pure domain of Fabula and its log: records, evidence, liveness, validity, and the ledger of immutable events."""
