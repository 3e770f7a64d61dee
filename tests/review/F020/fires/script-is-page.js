<!doctype html><html><head><title>404 Not Found</title></head><body></body></html>
