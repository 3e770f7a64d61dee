box.innerHTML = "<img src=x onerror=run()>";
