"""A replay: five recorded judges as processes, and every strategy measured against them."""
