const db = "Server=db.acme.dev;Database=app;User Id=app;Password={{rand:AZaz:5:r1}}{{rand:09:3:r2}}!;Encrypt=true";
