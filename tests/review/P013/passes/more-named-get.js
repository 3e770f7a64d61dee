cache.get("https://docs.example/");
params.get("https://docs.example/");
router.post("https://docs.example/");
