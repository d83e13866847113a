package fabula.stack;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.elasticsearch.client.internal.node.NodeClient;
import org.elasticsearch.rest.BaseRestHandler;
import org.elasticsearch.rest.RestResponse;
import org.elasticsearch.rest.RestStatus;
import org.elasticsearch.xcontent.XContentBuilder;

/** A handler whose reply takes blocking calls, which may not run on the network's threads. */
abstract class BlockingHandler extends BaseRestHandler {
    /** Fills the reply's object and tells its status. */
    interface Reply {
        RestStatus fill(XContentBuilder object) throws Exception;
    }

    static RestChannelConsumer blocking(NodeClient client, Reply reply) {
        return channel -> client.threadPool().generic().execute(() -> {
            RestResponse response;
            try {
                XContentBuilder object = channel.newBuilder().startObject();
                RestStatus status = reply.fill(object);
                response = new RestResponse(status, object.endObject());
            } catch (Exception failure) {
                try {
                    response = new RestResponse(channel, failure);
                } catch (IOException unwritable) {
                    throw new UncheckedIOException(unwritable);
                }
            }
            channel.sendResponse(response);
        });
    }
}
