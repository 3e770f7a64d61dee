const headings = [...document.querySelectorAll('h1, h2, h3')].map((heading) => heading.textContent);
chrome.runtime.sendMessage({ headings });
