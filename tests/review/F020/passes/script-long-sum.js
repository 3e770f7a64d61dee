const a = {{repeat:2000:"a" + }}"b";
