"""`weave`: Narrative Knowledge Weaver over the slice (NKW, section 3 and appendix)."""
