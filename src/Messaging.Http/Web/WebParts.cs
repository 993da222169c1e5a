using Messaging.Hosting;
using Messaging.Http.Source;
using Messaging.Http.Web.Api;
using Messaging.Http.Web.Metrics;
using Messaging.Http.Web.Page;

namespace Messaging.Http.Web;

/// <summary>The parts of the web server, singletons of the worker's container.</summary>
/// <param name="Connections">Limits the connections.</param>
/// <param name="Responses">Counts the answers.</param>
/// <param name="Gate">Sees every request first.</param>
/// <param name="Answers">Answers requests without an endpoint.</param>
/// <param name="Messages">Answers <c>/messages</c>.</param>
/// <param name="Metrics">Answers <c>/metrics</c>.</param>
/// <param name="Page">Answers <c>/</c>.</param>
/// <param name="Api">Answers <c>/api/v1</c>.</param>
/// <param name="Sources">The HTTP routes.</param>
/// <param name="Worker">The worker whose health is shown.</param>
internal sealed record WebParts(HttpConnections Connections, HttpResponses Responses, RequestGate Gate, HttpAnswers Answers, MessagesEndpoint Messages, MetricsEndpoint Metrics, PageFiles Page, ApiEndpoints Api, HttpSourceRegistry Sources, IWorkerStatus Worker);
