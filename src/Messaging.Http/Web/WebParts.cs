using Messaging.Hosting;
using Messaging.Http.Source;

namespace Messaging.Http.Web;

/// <summary>What the web server serves, singletons of the worker's container.</summary>
/// <param name="Connections">Bounds its connections.</param>
/// <param name="Gate">Sees every request first.</param>
/// <param name="Answers">Answers what has no endpoint.</param>
/// <param name="Messages">Answers <c>/messages</c>.</param>
/// <param name="Sources">The routes that take messages there.</param>
/// <param name="Worker">Whose health is shown.</param>
internal sealed record WebParts(HttpConnections Connections, RequestGate Gate, HttpAnswers Answers, MessagesEndpoint Messages, HttpSourceRegistry Sources, IWorkerStatus Worker);
