// The schemas as TypeScript types. A constant becomes its literal, so that `accepted` has the type `false`.

import { nameOf } from "./schema-shapes.mjs";

export function typesOf(schemas) {
  const types = new Map();
  for (const [name, root] of Object.entries(schemas)) {
    const definitions = root.$defs ?? {};
    declare(types, name, root, definitions);
    for (const [definition, schema] of Object.entries(definitions)) {
      if (isNamed(schema)) declare(types, nameOf(definition), schema, definitions);
    }
  }
  return `
/** A SHA-256 digest: \`sha256:\` and 64 lowercase hexadecimal digits. */
export type Digest = \`sha256:\${string}\`;
${[...types.keys()].sort().map((name) => types.get(name)).join("")}`;
}

function declare(types, name, schema, definitions) {
  const text = declaration(typeName(name, schema), schema, definitions);
  if (types.has(name) && types.get(name) !== text) throw new Error(`two types are called ${name}`);
  types.set(name, text);
}

/** Objects and vocabularies have names; a text with a form is a string to the compiler. */
function isNamed(schema) {
  return schema.type === "object" || schema.enum !== undefined || isOpen(schema);
}

/** A vocabulary that a later version may add words to: those of this one are its examples. */
function isOpen(schema) {
  return schema.type === "string" && schema.examples !== undefined;
}

/** The name of a type; an open vocabulary is not called as the words of this version are. */
function typeName(name, schema) {
  return (isOpen(schema) ? "Any" : "") + pascal(name);
}

function declaration(name, schema, definitions) {
  const about = sentence(schema) ?? `The words of \`${schema.title}\`.`;
  if (schema.type === "object" && schema.properties !== undefined) {
    return `\n/** ${about} */\nexport interface ${name} ${body(schema, definitions, "")}\n`;
  }
  return `\n/** ${about} */\nexport type ${name} = ${expression({ ...schema, title: undefined }, definitions, "")};\n`;
}

/** What stands above a type. */
function sentence(schema) {
  const { description } = schema;
  return isOpen(schema) ? `${description[0].toUpperCase()}${description.slice(1)}.` : description;
}

function body(schema, definitions, indent) {
  const required = new Set(schema.required ?? []);
  const inner = `${indent}  `;
  const members = Object.entries(schema.properties).map(([name, member]) => {
    const about = member.description === undefined ? "" : `${inner}/** ${member.description} */\n`;
    const key = /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name) ? name : JSON.stringify(name);
    return `${about}${inner}readonly ${key}${required.has(name) ? "" : "?"}: ${expression(member, definitions, inner)};\n`;
  });
  return `{\n${members.join("")}${indent}}`;
}

function expression(schema, definitions, indent) {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.replace("#/$defs/", "");
    const target = definitions[name];
    return isNamed(target) ? typeName(name, target) : expression(target, definitions, indent);
  }
  if ("const" in schema) return literal(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(literal).join(" | ");
  switch (schema.type) {
    case "object":
      if (schema.properties !== undefined) return body(schema, definitions, indent);
      return `{ readonly [name: string]: ${expression(schema.additionalProperties, definitions, indent)} }`;
    case "array": {
      const item = expression(schema.items, definitions, indent);
      const several = item.includes(" ") ? `(${item})` : item;
      return `readonly ${several}[]`;
    }
    case "integer":
      return "number";
    case "boolean":
      return "boolean";
    case "string":
      // An editor completes the words, and any other text is one too.
      if (isOpen(schema)) return [...schema.examples.map(literal), "(string & {})"].join(" | ");
      return schema.title === "digest" ? "Digest" : "string";
    default:
      throw new Error(`a schema that this generator does not know: ${JSON.stringify(schema)}`);
  }
}

function literal(value) {
  return Array.isArray(value) ? `readonly [${value.map(literal).join(", ")}]` : JSON.stringify(value);
}

function pascal(name) {
  return name.split("-").map((part) => part[0].toUpperCase() + part.slice(1)).join("");
}
