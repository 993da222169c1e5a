// The node $cbs, to which a client sends its token before it opens a link. Only tokens made with the emulator's key are accepted.
import { createHmac, timingSafeEqual } from "node:crypto";
import { errors } from "./errors.mjs";

// Those of Microsoft's emulator.
export const KEY_NAME = "RootManageSharedAccessKey";
export const KEY = "SAS_KEY_VALUE";

/** Throws for a token that is not valid. */
export function checkToken(request) {
  if (request.properties.operation !== "put-token") throw errors.notImplemented(request.properties.operation);
  const token = String(request.body?.value ?? "");
  const fields = Object.fromEntries(token.replace(/^SharedAccessSignature /, "").split("&").map(field => [field.slice(0, field.indexOf("=")), field.slice(field.indexOf("=") + 1)]));
  const { sr = "", sig = "", se = "", skn = "" } = fields;
  if (decodeURIComponent(skn) !== KEY_NAME) throw errors.unauthorized(`InvalidSignature: The key '${decodeURIComponent(skn)}' is unknown; the emulator's is ${KEY_NAME}.`);
  const expected = createHmac("sha256", KEY).update(`${sr}\n${se}`).digest();
  const actual = Buffer.from(decodeURIComponent(sig), "base64");
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) throw errors.unauthorized("InvalidSignature: The token has an invalid signature.");
  if (Number(se) * 1000 < Date.now()) throw errors.unauthorized("ExpiredToken: The token is expired.");
}
