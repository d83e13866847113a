package fabula.stack;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.elasticsearch.common.logging.LogConfigurator;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.node.InternalSettingsPreparer;
import org.elasticsearch.node.Node;
import org.elasticsearch.plugins.PluginsLoader;

/** One Elasticsearch node for development: LocalNode HOME PORT [setting=value]... */
public final class LocalNode {
    private static final String NAME = "local-1";

    private LocalNode() {}

    public static void main(String[] arguments) throws Exception {
        Path home = Path.of(arguments[0]).toAbsolutePath();
        Settings.Builder settings = Settings.builder()
            .put("path.home", home.toString())
            .put("cluster.name", "fabula-local")
            .put("node.name", NAME)
            .put("discovery.type", "single-node")
            .put("network.host", "127.0.0.1")
            .put("http.port", arguments[1])
            .put("transport.port", "0")
            // a developer's disk is often nearly full, and a read-only index is a riddle
            .put("cluster.routing.allocation.disk.threshold_enabled", false);
        for (int i = 2; i < arguments.length; i++) {
            String[] setting = arguments[i].split("=", 2);
            settings.put(setting[0], setting[1]);
        }
        LogConfigurator.registerErrorListener();
        LogConfigurator.setNodeName(NAME);
        var environment = InternalSettingsPreparer.prepareEnvironment(
            settings.build(), Map.of(), home.resolve("config"), () -> NAME);
        LogConfigurator.configure(environment, true);
        var modules = PluginsLoader.loadModulesBundles(environment.modulesDir(), false);
        Node node = new Node(environment, PluginsLoader.createPluginsLoader(modules, Set.of(), Map.of(), false));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> close(node)));
        node.start();
        new CountDownLatch(1).await();
    }

    private static void close(Node node) {
        try {
            node.prepareForClose();
            node.close();
            node.awaitClose(10, TimeUnit.SECONDS);
        } catch (Exception failure) {
            failure.printStackTrace();
        }
    }
}
