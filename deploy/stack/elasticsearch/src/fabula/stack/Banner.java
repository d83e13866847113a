package fabula.stack;

import static org.elasticsearch.rest.RestRequest.Method.GET;
import static org.elasticsearch.rest.RestRequest.Method.HEAD;

import java.util.List;
import org.elasticsearch.Build;
import org.elasticsearch.client.internal.node.NodeClient;
import org.elasticsearch.core.TimeValue;
import org.elasticsearch.rest.RestRequest;
import org.elasticsearch.rest.RestStatus;

/** GET /: who this node is; clients ask it first. */
final class Banner extends BlockingHandler {
    @Override
    public String getName() {
        return "fabula_banner";
    }

    @Override
    public List<Route> routes() {
        return List.of(new Route(GET, "/"), new Route(HEAD, "/"));
    }

    @Override
    protected RestChannelConsumer prepareRequest(RestRequest request, NodeClient client) {
        return blocking(client, object -> {
            var state = client.admin().cluster().prepareState(TimeValue.THIRTY_SECONDS).get().getState();
            object.field("name", client.getLocalNodeId())
                .field("cluster_name", state.getClusterName().value())
                .field("cluster_uuid", state.metadata().clusterUUID())
                .startObject("version")
                .field("number", Build.current().qualifiedVersion())
                .field("build_flavor", "default")
                .endObject()
                .field("tagline", "You Know, for Search");
            return RestStatus.OK;
        });
    }
}
