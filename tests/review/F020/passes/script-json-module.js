import data from "./a.json" with { type: "json" };
export default data;
