"""Models as judges: a prompt out, a strictly read reply in."""
