document.cookie ||= "a=b";
