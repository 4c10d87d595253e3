// Prints the exported types of a schema.ts as definitions in JSON Schema: node read.mjs schema.ts. Interfaces have the members of
// those that they extend; types keep the names of what they refer to. What it cannot say in JSON Schema stops it.

import {readFileSync} from "node:fs";
import ts from "typescript";

const file = ts.createSourceFile("schema.ts", readFileSync(process.argv[2], "utf8"), ts.ScriptTarget.Latest, true);
const types = new Map(), constants = new Map();
for (const statement of file.statements) {
  if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) types.set(statement.name.text, statement);
  else if (ts.isVariableStatement(statement)) {
    for (const d of statement.declarationList.declarations) constants.set(d.name.text, literal(d.initializer));
  } else unknown(statement);
}
const definitions = {};
for (const [name, declaration] of types) definitions[name] = definition(declaration);
console.log(JSON.stringify(definitions, null, 1));

function unknown(node) {
  throw new Error(`${ts.SyntaxKind[node.kind]} is not handled: ${node.getText(file)}`);
}

function literal(node) {
  if (ts.isStringLiteral(node)) return node.text;
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken) return -literal(node.operand);
  if (node.kind === ts.SyntaxKind.TrueKeyword) return true;
  if (node.kind === ts.SyntaxKind.FalseKeyword) return false;
  return unknown(node);
}

function definition(declaration) {
  if (ts.isTypeAliasDeclaration(declaration)) return type(declaration.type);
  const own = object(declaration.members);
  const bases = (declaration.heritageClauses ?? []).flatMap((clause) => clause.types);
  return bases.reduce((all, base) => merge(resolved(reference(base.expression.text, base.typeArguments)), all), own);
}

// merge lays an object over what it extends.
function merge(base, over) {
  const required = new Set(over.required);
  for (const name of base.required) if (!(name in over.properties)) required.add(name);
  return {...base, ...over, properties: {...base.properties, ...over.properties}, required: [...required].sort()};
}

function resolved(schema) {
  return schema.$ref === undefined ? schema : resolved(definition(types.get(schema.$ref)));
}

function object(members) {
  const out = {type: "object", properties: {}, required: []};
  for (const member of members) {
    if (ts.isIndexSignatureDeclaration(member)) {
      out.additionalProperties = type(member.type);
    } else if (ts.isPropertySignature(member)) {
      const name = ts.isComputedPropertyName(member.name) ? constants.get(member.name.expression.text) : member.name.text;
      out.properties[name] = {...type(member.type), ...asserted(member)};
      if (!member.questionToken) out.required.push(name);
    } else unknown(member);
  }
  out.required.sort();
  return out;
}

// asserted is what comments say of a member that types cannot.
function asserted(member) {
  const out = {};
  for (const tag of ts.getJSDocTags(member)) {
    const text = ts.getTextOfJSDocComment(tag.comment) ?? "";
    switch (tag.tagName.text) {
      case "minimum": case "maximum": case "minItems": out[tag.tagName.text] = Number(text); break;
      case "TJS-type": out.type = text; break;
      case "asType": out.type = text; break;
      case "format": out.format = text; break;
      case "default": break; // says what to do, not what may be there
    }
  }
  return out;
}

function reference(name, args) {
  switch (name) {
    case "Array": return {type: "array", items: type(args[0])};
    case "Record": return {type: "object", properties: {}, required: [], additionalProperties: type(args[1])};
    case "Omit": {
      const {properties, required, ...rest} = resolved(type(args[0]));
      const without = new Set([type(args[1])].flatMap((t) => t.anyOf ?? [t]).map((t) => t.const));
      const kept = Object.fromEntries(Object.entries(properties).filter(([key]) => !without.has(key)));
      return {...rest, properties: kept, required: required.filter((key) => !without.has(key))};
    }
  }
  if (!types.has(name) || args) throw new Error(`${name} is not declared here`);
  return {$ref: name};
}

function type(node) {
  switch (node.kind) {
    case ts.SyntaxKind.StringKeyword: return {type: "string"};
    case ts.SyntaxKind.NumberKeyword: return {type: "number"};
    case ts.SyntaxKind.BooleanKeyword: return {type: "boolean"};
    case ts.SyntaxKind.ObjectKeyword: return {type: "object", properties: {}, required: []};
    case ts.SyntaxKind.UnknownKeyword: case ts.SyntaxKind.AnyKeyword: return {};
    case ts.SyntaxKind.ParenthesizedType: return type(node.type);
    case ts.SyntaxKind.ArrayType: return {type: "array", items: type(node.elementType)};
    case ts.SyntaxKind.TypeLiteral: return object(node.members);
    case ts.SyntaxKind.UnionType: return {anyOf: node.types.map(type)};
    case ts.SyntaxKind.IntersectionType: return node.types.map((t) => resolved(type(t))).reduce(merge);
    case ts.SyntaxKind.TypeQuery: return {const: constants.get(node.exprName.text)};
    case ts.SyntaxKind.TypeReference: return reference(node.typeName.text, node.typeArguments);
    case ts.SyntaxKind.LiteralType:
      return node.literal.kind === ts.SyntaxKind.NullKeyword ? {type: "null"} : {const: literal(node.literal)};
  }
  return unknown(node);
}
