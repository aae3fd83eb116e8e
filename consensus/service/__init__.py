"""THE DOOR: servicers, the status table, interceptors, health; listen and drain."""
