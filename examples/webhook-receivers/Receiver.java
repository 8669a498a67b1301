// Receives webhooks with Java 17 or later: WEBHOOK_SECRET=whsec_... PORT=9000 java Receiver.java
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Receiver {
    // While you rotate the secret, give both, separated by a comma.
    static final String[] SECRETS = System.getenv("WEBHOOK_SECRET").split(",");
    static final long TOLERANCE_S = 300;
    static final int MAX_BODY_BYTES = 1_000_000;
    static final Pattern SIGNATURE = Pattern.compile("t=([0-9]{1,12}), ?v1=([0-9a-f]{64})");
    static final Pattern EVENT_ID = Pattern.compile("\"id\":\"([^\"]+)\",\"type\"");
    // In earnest: a table with a unique key on the event id.
    static final Set<String> seen = ConcurrentHashMap.newKeySet();

    /** True when the raw body was signed with one of our secrets within the tolerance. */
    static boolean verify(byte[] body, String header) throws GeneralSecurityException {
        var match = SIGNATURE.matcher(header == null ? "" : header);
        if (!match.matches()) return false;
        long age = System.currentTimeMillis() / 1000 - Long.parseLong(match.group(1));
        if (Math.abs(age) > TOLERANCE_S) return false;
        byte[] given = HexFormat.of().parseHex(match.group(2));
        for (String secret : SECRETS) {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            mac.update((match.group(1) + ".").getBytes(StandardCharsets.UTF_8));
            if (MessageDigest.isEqual(mac.doFinal(body), given)) return true;
        }
        return false;
    }

    static int receive(HttpExchange request) throws IOException, GeneralSecurityException {
        byte[] body = request.getRequestBody().readNBytes(MAX_BODY_BYTES + 1);
        if (body.length > MAX_BODY_BYTES) return 413;
        if (!verify(body, request.getRequestHeaders().getFirst("X-Service-Webhook-Signature"))) return 401;
        String text = new String(body, StandardCharsets.UTF_8);
        // Use the JSON library of your project here; the JDK has none.
        var id = EVENT_ID.matcher(text);
        if (id.find() && seen.add(id.group(1))) {
            System.out.println(text); // Put it on a queue here; do slow work after the answer.
        }
        return 200;
    }

    public static void main(String[] args) throws IOException {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "9000"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.setExecutor(Executors.newFixedThreadPool(8));
        server.createContext("/", request -> {
            try (request) {
                request.sendResponseHeaders(receive(request), -1);
            } catch (GeneralSecurityException error) {
                throw new IOException(error);
            }
        });
        server.start();
    }
}
