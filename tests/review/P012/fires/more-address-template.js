location = `javascript:${code}`;
