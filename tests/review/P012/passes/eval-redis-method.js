await redis.eval(script, 1, key);
