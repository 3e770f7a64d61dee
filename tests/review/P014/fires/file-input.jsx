export const Upload = () => <input type="file" onChange={read} />;
