const wasm_token_0 = "wbindgen_closure_wrapper123";
const secret = imports.wbg.__wbindgen_object_drop_ref;
