export default function Board() {
  return <main className="board" />;
}
