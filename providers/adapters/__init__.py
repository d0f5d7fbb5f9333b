"""One file a dialect, small and alike. The registry is the only place that lists them."""
