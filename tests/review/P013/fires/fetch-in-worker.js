self.onmessage = async (event) => {
  const answer = await self.fetch("https://collect.example/" + event.data);
  postMessage(await answer.json());
};
