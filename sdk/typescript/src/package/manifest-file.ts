/** The name of the manifest in a package. */
export const MANIFEST_FILE = "svc-app.json";
