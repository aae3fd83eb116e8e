"""THE MEASURE: this service beside a bare echo and the service that users write by hand."""
