export const NAMESPACE = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
export const secretKeyPath = "./keys/secret-key-v2.json";
