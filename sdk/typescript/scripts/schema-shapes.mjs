// The schemas as one small table of shapes: what the reader needs, nothing else. Definitions that several schemas share
// stand once.

/** Titles whose constants carry a rule of their own. */
const RULED = ["kind", "schema-urn", "status", "gate-statuses", "no-signatures"];

/** The shapes of documents, and apart from them those that answers add: whoever reads documents needs no others. */
export function shapesOf(documents, answers, leaves) {
  const schemas = { ...documents, ...answers };
  const shapes = {};
  const ofDocuments = new Set();
  for (const [name, root] of Object.entries(schemas)) {
    if (name in documents) ofDocuments.add(name);
    add(shapes, name, shape(root, leaves));
    for (const [definition, schema] of Object.entries(root.$defs ?? {})) {
      const found = shape(schema, leaves);
      if ("leaf" in found) continue;
      if (name in documents) ofDocuments.add(nameOf(definition));
      add(shapes, nameOf(definition), found);
    }
  }
  const definitions = Object.values(schemas).flatMap((root) => Object.entries(root.$defs ?? {}));
  inlineLeaves(shapes, Object.fromEntries(definitions.map(([name, schema]) => [nameOf(name), schema])), leaves);
  const written = (isOurs) => JSON.stringify(Object.fromEntries(Object.entries(shapes).filter(([name]) => isOurs(name))));
  return `
/** What a value of a document looks like. */
export type Shape =
  | { readonly ref: string }
  | { readonly leaf: string }
  | { readonly constant: unknown; readonly title?: string }
  | { readonly words: readonly string[] }
  | { readonly type: "object"; readonly title?: string; readonly members: { readonly [name: string]: Shape }; readonly optional?: readonly string[] }
  | { readonly type: "array"; readonly items?: Shape; readonly most?: number; readonly least?: number }
  | { readonly type: "integer"; readonly minimum?: number }
  | { readonly type: "boolean" | "string" };

/** Shapes by their names. */
export type Shapes = { readonly [name: string]: Shape };

/** The shapes of documents; the kinds of artifact by their short names. */
export const SHAPES: Shapes = /* @__PURE__ */ frozen(${written((name) => ofDocuments.has(name))});

/** The shapes that the answers of a registry add. */
export const ANSWER_SHAPES: Shapes = /* @__PURE__ */ frozen(${written((name) => !ofDocuments.has(name))});
`;
}

/** A kind inside another is called by the name of its type there, and by its short name everywhere else. */
export function nameOf(definition) {
  return definition[0].toLowerCase() + definition.slice(1);
}

function add(shapes, name, shape) {
  const text = JSON.stringify(shape);
  if (name in shapes && JSON.stringify(shapes[name]) !== text) throw new Error(`two shapes are called ${name}`);
  shapes[name] = shape;
}

/** A reference to a leaf is the leaf. */
function inlineLeaves(shapes, definitions, leaves) {
  const visit = (node) => {
    if (node === null || typeof node !== "object") return;
    for (const [key, value] of Object.entries(node)) {
      if (value !== null && typeof value === "object" && "ref" in value && definitions[value.ref] !== undefined) {
        const target = shape(definitions[value.ref], leaves);
        if ("leaf" in target) node[key] = target;
      }
      visit(node[key]);
    }
  };
  visit(shapes);
}

function shape(schema, leaves) {
  if (schema.$ref !== undefined) return { ref: nameOf(schema.$ref.replace("#/$defs/", "")) };
  if (leaves.includes(schema.title)) return { leaf: schema.title };
  const title = RULED.includes(schema.title) ? { title: schema.title } : {};
  if ("const" in schema) return { constant: schema.const, ...title };
  if (schema.enum !== undefined) return { words: schema.enum };
  switch (schema.type) {
    case "object":
      return { type: "object", ...title, ...membersOf(schema, leaves) };
    case "array":
      return {
        type: "array",
        ...(schema.items === undefined ? {} : { items: shape(schema.items, leaves) }),
        ...(schema.maxItems === undefined ? {} : { most: schema.maxItems }),
        ...(schema.minItems === undefined ? {} : { least: schema.minItems }),
      };
    case "integer":
      return { type: "integer", ...(schema.minimum === undefined ? {} : { minimum: schema.minimum }) };
    case "boolean":
    case "string":
      return { type: schema.type };
    default:
      throw new Error(`a schema that this generator does not know: ${JSON.stringify(schema)}`);
  }
}

/** The members that must be there, in the order in which they are missed, then the others. */
function membersOf({ properties = {}, required = [] }, leaves) {
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  const members = Object.fromEntries([...required, ...optional].map((name) => [name, shape(properties[name], leaves)]));
  return optional.length === 0 ? { members } : { members, optional };
}
