// SPDX-License-Identifier: Apache-2.0
import java.io.*;
import java.net.*;
import java.util.*;

// The twin of set_px_token.py in Java, over a plain socket.
public class SetPxToken {
  static Socket socket;
  static InputStream in;

  static String call(String... words) throws IOException {
    if (socket == null) {
      String[] server = System.getenv("LOCKPROOF_SERVERS").split(",")[0].split(":");
      socket = new Socket(server[0], Integer.parseInt(server[1]));
      in = new BufferedInputStream(socket.getInputStream());
    }
    StringBuilder text = new StringBuilder("*" + words.length + "\r\n");
    for (String word : words) text.append("$" + word.length() + "\r\n" + word + "\r\n");
    socket.getOutputStream().write(text.toString().getBytes());
    String line = line();
    if (line.charAt(0) != '$') return line.substring(1);
    return line.equals("$-1") ? null : line();
  }

  static String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\r'; c = in.read()) {
      if (c < 0) throw new IOException("the connection is broken");
      line.append((char) c);
    }
    in.read();
    return line.toString();
  }

  public static void main(String[] arguments) throws IOException {
    String name = System.getenv("LOCKPROOF_LOCK"), lease = System.getenv("LOCKPROOF_LEASE_MS");
    String script = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    System.out.println("{\"say\": \"ready\", \"protocol\": 1}");
    String token = null;
    for (String asked = lines.readLine(); asked != null; asked = lines.readLine()) {
      try {
        if (asked.contains("\"acquire\"")) {
          token = UUID.randomUUID().toString();
          boolean won = "OK".equals(call("SET", name, token, "NX", "PX", lease));
          System.out.println("{\"say\": \"" + (won ? "acquired" : "busy") + "\"}");
        } else if (asked.contains("\"touch\"")) {
          System.out.println("{\"say\": \"touch\"}");
        } else if (asked.contains("\"release\"")) {
          boolean ours = "1".equals(call("EVAL", script, "1", name, token));
          System.out.println("{\"say\": \"released\", \"ours\": " + ours + "}");
        }
      } catch (IOException broken) {
        socket = null;
        System.out.println("{\"say\": \"failed\", \"error\": \"" + broken.getMessage() + "\"}");
      }
    }
  }
}
