export default eval;
