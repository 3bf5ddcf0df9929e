"""`urlset plan`: a number of URLs → files, bytes, CPU, memory, network and dollars."""
