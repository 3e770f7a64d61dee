chrome.storage.local.get({ pages: [] }, ({ pages }) => {
  for (const page of pages) {
    const item = document.createElement('li');
    item.textContent = page.title;
    document.querySelector('#list').append(item);
  }
});
