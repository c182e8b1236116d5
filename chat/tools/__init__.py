"""What a model may ask of a report: closed, typed requests, one file a tool."""
