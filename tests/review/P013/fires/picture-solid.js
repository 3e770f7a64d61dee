import { template as _$template } from "solid-js/web";
var _tmpl$ = /*#__PURE__*/ _$template(`<img src="https://collect.example/p.png">`);
