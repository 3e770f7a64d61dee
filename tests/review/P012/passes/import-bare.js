import { h } from "preact";
import "core-js/stable";
export { h };
