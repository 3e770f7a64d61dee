try {
  regeneratorRuntime = runtime;
} catch (accidentalStrictMode) {
  if (typeof globalThis === "object") globalThis.regeneratorRuntime = runtime;
  else Function("r", "regeneratorRuntime = r")(runtime);
}
