// Reads JSON:API documents, an array of them on standard input, with superjson
// as a client does, and writes what each value became: an array of lists of
// lines `path type text` for those that JSON cannot carry.
import superjson from "superjson";

// What a client registers for the two types that JavaScript has no class for.
class Decimal {
  constructor(text) {
    this.text = text;
  }
}
class Bytes {
  constructor(base64) {
    this.octets = Buffer.from(base64, "base64");
  }
}
superjson.registerCustom(
  {
    isApplicable: (v) => v instanceof Decimal,
    serialize: (v) => v.text,
    deserialize: (text) => new Decimal(text),
  },
  "Decimal",
);
superjson.registerCustom(
  {
    isApplicable: (v) => v instanceof Bytes,
    serialize: (v) => v.octets.toString("base64"),
    deserialize: (base64) => new Bytes(base64),
  },
  "Bytes",
);

function read(document) {
  const { serialization, ...meta } = document.meta ?? {};
  const plain = { ...document, meta };
  return serialization === undefined
    ? plain
    : superjson.deserialize({ json: plain, meta: serialization });
}

// describe returns the type and the text of a value that no JSON value is.
function describe(value) {
  if (value instanceof Date) return `Date ${isNaN(value) ? "invalid" : value.toISOString()}`;
  if (value instanceof Decimal) return `Decimal ${value.text}`;
  if (value instanceof Bytes) return `Bytes ${value.octets.toString("hex")}`;
  if (typeof value === "bigint") return `bigint ${value}`;
  if (typeof value === "number" && !Number.isFinite(value)) return `number ${value}`;
  return undefined;
}

function* lines(path, value) {
  const description = describe(value);
  if (description !== undefined) {
    yield `${path.join(" / ")}: ${description}`;
  } else if (value !== null && typeof value === "object") {
    for (const [name, member] of Object.entries(value)) yield* lines([...path, name], member);
  }
}

let input = "";
for await (const chunk of process.stdin.setEncoding("utf8")) input += chunk;
const answers = JSON.parse(input).map((document) => [...lines([], read(document))]);
process.stdout.write(JSON.stringify(answers));
