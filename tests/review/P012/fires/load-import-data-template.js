const m = await import(`data:text/javascript,${encodeURIComponent(code)}`);
