Invoke-WebRequest https://a.example
