// Form fields for a game type's options, made from their JSON schema.

import { el } from "../dom.js";
import { word } from "../i18n.js";

/** @param {object} schema @returns {{ nodes: HTMLElement[], values: () => object }} */
export function optionFields(schema) {
  const root = schema.$ref ? schema.$defs[schema.$ref.split("/").pop()] : schema;
  const fields = Object.entries(root.properties ?? {}).map(([name, form]) => ({ name, form, control: control(form) }));
  return {
    nodes: fields.map(({ name, control }) =>
      el("label", { class: "field" }, el("span", {}, word("option", name)), control),
    ),
    values: () => Object.fromEntries(fields.map(({ name, form, control }) => [name, value(form, control)])),
  };
}

function control(form) {
  if (form.enum) {
    return el(
      "select",
      {},
      form.enum.map((each) => el("option", { value: each, selected: each === form.default }, word("choice", each))),
    );
  }
  if (form.type === "boolean") return el("input", { type: "checkbox", checked: form.default });
  if (form.type === "integer" || form.type === "number") {
    return el("input", {
      type: "number",
      required: true,
      value: form.default,
      min: form.minimum,
      max: form.maximum,
      step: form.multipleOf ?? (form.type === "integer" ? 1 : "any"),
    });
  }
  return el("input", { value: form.default ?? "" });
}

function value(form, control) {
  if (form.enum) return form.enum.find((each) => String(each) === control.value);
  if (form.type === "boolean") return control.checked;
  return form.type === "integer" || form.type === "number" ? Number(control.value) : control.value;
}
