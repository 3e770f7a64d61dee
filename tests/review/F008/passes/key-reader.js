if (pem.includes("-----BEGIN PRIVATE KEY-----")) {
  return pem.replace("-----BEGIN PRIVATE KEY-----", "").replace("-----END PRIVATE KEY-----", "");
}
