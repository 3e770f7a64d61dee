/** The version of svc that a bundle is built for: `build.mjs` puts it in. */
declare const SVC_VERSION: string;

/** Why each rule is there, by its code, from `contracts/ruleset.json`: `build.mjs` makes the module. */
declare module "svc:reasons" {
  export const REASONS: { readonly [code: string]: string };
}
