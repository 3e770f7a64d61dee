request.open(config.method.toUpperCase(), buildURL(config.url, config.params), true);
