"""THE TRANSLATION: proto <-> domain, both ways, no decisions."""
