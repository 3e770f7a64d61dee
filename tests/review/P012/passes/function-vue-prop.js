export default { props: { onSelect: { type: Function, required: true }, any: [String, Function] } };
