export const schema = { camera: { type: "boolean" }, storage: "none", usb: null };
const { camera, usb } = schema;
