package fabula.stack;

import static org.elasticsearch.rest.RestRequest.Method.POST;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.elasticsearch.action.bulk.BulkItemResponse;
import org.elasticsearch.action.bulk.BulkRequestBuilder;
import org.elasticsearch.action.delete.DeleteRequest;
import org.elasticsearch.action.search.SearchRequest;
import org.elasticsearch.action.search.SearchResponse;
import org.elasticsearch.action.support.IndicesOptions;
import org.elasticsearch.client.internal.node.NodeClient;
import org.elasticsearch.common.Strings;
import org.elasticsearch.core.TimeValue;
import org.elasticsearch.index.query.WrapperQueryBuilder;
import org.elasticsearch.rest.RestRequest;
import org.elasticsearch.rest.RestStatus;
import org.elasticsearch.search.SearchHit;
import org.elasticsearch.search.sort.SortOrder;
import org.elasticsearch.xcontent.ToXContent;
import org.elasticsearch.xcontent.XContentBuilder;
import org.elasticsearch.xcontent.XContentFactory;

/** POST /{index}/_delete_by_query, answered when it is done; conflicts=proceed, refresh, routing and max_docs count. */
final class DeleteByQuery extends BlockingHandler {
    private static final TimeValue KEEP_ALIVE = TimeValue.timeValueMinutes(5);

    @Override
    public String getName() {
        return "fabula_delete_by_query";
    }

    @Override
    public List<Route> routes() {
        return List.of(new Route(POST, "/{index}/_delete_by_query"));
    }

    @Override
    protected RestChannelConsumer prepareRequest(RestRequest request, NodeClient client) throws IOException {
        Order order = Order.of(request);
        return blocking(client, object -> new Deletion(client, order).run(object));
    }

    /** What was asked for. */
    private record Order(
        String[] indices, IndicesOptions options, WrapperQueryBuilder query, String routing,
        boolean proceed, boolean refresh, int limit, int batch) {

        static Order of(RestRequest request) throws IOException {
            Map<String, Object> body;
            try (var parser = request.contentOrSourceParamParser()) {
                body = parser.map();
            }
            if (!(body.get("query") instanceof Map<?, ?> query)) {
                throw new IllegalArgumentException("query is missing");
            }
            if (!request.paramAsBoolean("wait_for_completion", true)) {
                throw new IllegalArgumentException("wait_for_completion=false is not supported by the local node");
            }
            for (String ignored : List.of("slices", "requests_per_second", "timeout", "wait_for_active_shards")) {
                request.param(ignored);
            }
            int bodyLimit = body.get("max_docs") instanceof Number number ? number.intValue() : Integer.MAX_VALUE;
            int limit = request.paramAsInt("max_docs", bodyLimit);
            return new Order(
                request.param("index").split(","),
                IndicesOptions.fromRequest(request, SearchRequest.DEFAULT_INDICES_OPTIONS),
                new WrapperQueryBuilder(Strings.toString(XContentFactory.jsonBuilder().value(query))),
                request.param("routing"),
                "proceed".equals(request.param("conflicts", (String) body.get("conflicts"))),
                request.paramAsBoolean("refresh", false),
                limit,
                Math.min(limit, request.paramAsInt("scroll_size", 1000)));
        }
    }

    /** One run: scrolls over the hits and deletes each at the version that was found. */
    private static final class Deletion {
        private final NodeClient client;
        private final Order order;
        private final List<BulkItemResponse.Failure> failures = new ArrayList<>();
        private long seen;
        private long deleted;
        private long conflicts;
        private long batches;

        Deletion(NodeClient client, Order order) {
            this.client = client;
            this.order = order;
        }

        RestStatus run(XContentBuilder object) throws IOException {
            long started = System.nanoTime();
            SearchResponse found = client.prepareSearch(order.indices)
                .setIndicesOptions(order.options).setRouting(order.routing).setQuery(order.query).setSize(order.batch)
                .addSort("_doc", SortOrder.ASC).setScroll(KEEP_ALIVE).setFetchSource(false)
                .seqNoAndPrimaryTerm(true).setTrackTotalHits(true).get();
            long total = Math.min(order.limit, found.getHits().getTotalHits().value());
            String scroll = found.getScrollId();
            try {
                while (found.getHits().getHits().length > 0 && seen < order.limit && failures.isEmpty()) {
                    delete(found.getHits().getHits());
                    found.decRef();
                    found = client.prepareSearchScroll(scroll).setScroll(KEEP_ALIVE).get();
                    scroll = found.getScrollId();
                }
            } finally {
                found.decRef();
                client.prepareClearScroll().addScrollId(scroll).get();
            }
            if (order.refresh) {
                client.admin().indices().prepareRefresh(order.indices).get();
            }
            return report(object, total, (System.nanoTime() - started) / 1_000_000);
        }

        private void delete(SearchHit[] hits) {
            BulkRequestBuilder bulk = client.prepareBulk();
            batches++;
            for (SearchHit hit : hits) {
                if (seen++ >= order.limit) {
                    break;
                }
                var routing = hit.field("_routing");
                bulk.add(new DeleteRequest(hit.getIndex(), hit.getId())
                    .setIfSeqNo(hit.getSeqNo()).setIfPrimaryTerm(hit.getPrimaryTerm())
                    .routing(routing == null ? null : routing.getValue()));
            }
            for (BulkItemResponse item : bulk.get()) {
                boolean conflict = item.isFailed() && item.status() == RestStatus.CONFLICT;
                if (!item.isFailed()) {
                    deleted++;
                } else if (conflict) {
                    conflicts++;
                }
                if (item.isFailed() && !(conflict && order.proceed)) {
                    failures.add(item.getFailure());
                }
            }
        }

        private RestStatus report(XContentBuilder object, long total, long milliseconds) throws IOException {
            object.field("took", milliseconds).field("timed_out", false).field("total", total)
                .field("deleted", deleted).field("batches", batches).field("version_conflicts", conflicts)
                .field("noops", 0).startArray("failures");
            for (BulkItemResponse.Failure failure : failures) {
                object.startObject();
                failure.toXContent(object, ToXContent.EMPTY_PARAMS);
                object.endObject();
            }
            object.endArray();
            return failures.isEmpty() ? RestStatus.OK : failures.get(0).getStatus();
        }
    }
}
