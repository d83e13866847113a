"""Continuity chains (NKW, appendix D.1): scenes that go on in one setting, proposed, audited, and split or dropped."""
