using System.Net;
using System.Text;
using System.Text.Json;
using Proof.Simulation;

namespace Proof.Models;

/// <summary>Elasticsearch with bulk requests that create documents.</summary>
internal sealed class IndexModel(World world, FaultPlan plan, Defect defect) : IService
{
    private readonly SortedDictionary<string, string> _documents = new(StringComparer.Ordinal);

    private readonly HashSet<string> _texts = new(StringComparer.Ordinal);

    /// <summary>The documents' JSON.</summary>
    public IReadOnlyCollection<string> Documents => _documents.Values;

    /// <summary>True when there is a document with this JSON.</summary>
    public bool Holds(string document) => _texts.Contains(document);

    public void Handle(ServiceRequest request, Action<ServiceAnswer> answer)
    {
        if (world.Store.IsDown)
        {
            world.Meets(Fault.IndexIsDown);
        }

        answer(world.Store.IsDown ? request.Method == "GET" || world.Random.Next(3) > 0 ? Unavailable(0) : RefuseAll(request.Body)
            : request.Method == "GET" ? ServiceAnswer.Text(HttpStatusCode.OK, "{}") : Create(request.Body));
    }

    public ServiceAnswer Unavailable(int draw) => (draw % 3) switch
    {
        0 => ServiceAnswer.Text(
            HttpStatusCode.ServiceUnavailable, "{\"error\":{\"type\":\"cluster_block_exception\",\"reason\":\"simulated\"},\"status\":503}"),
        1 => ServiceAnswer.Text(
            HttpStatusCode.TooManyRequests, "{\"error\":{\"type\":\"es_rejected_execution_exception\",\"reason\":\"simulated\"},\"status\":429}"),
        _ => ServiceAnswer.Text(HttpStatusCode.BadGateway, "<html>502</html>"),
    };

    private ServiceAnswer Create(byte[] body)
    {
        if (body.Length > plan.IndexBytes)
        {
            world.Meets(Fault.IndexRefusesSize);
            return ServiceAnswer.Text(HttpStatusCode.RequestEntityTooLarge, string.Empty);
        }

        return AnswerEach(body, CreateOne);
    }

    // The index is at a limit: no document is at fault.
    private static ServiceAnswer RefuseAll(byte[] body) =>
        AnswerEach(body, (id, _) => Item(id, 400, "illegal_argument_exception", "Limit of total fields [1000] has been exceeded"));

    private static ServiceAnswer AnswerEach(byte[] body, Func<string, string, string> answer)
    {
        string[] lines = body[0] == '{' ? Encoding.UTF8.GetString(body).Split('\n', StringSplitOptions.RemoveEmptyEntries) : Gzip.ReadLines(body);
        List<string> items = [];
        for (int line = 0; line < lines.Length; line += 2)
        {
            using JsonDocument action = JsonDocument.Parse(lines[line]);
            items.Add(answer(action.RootElement.GetProperty("create").GetProperty("_id").GetString()!, lines[line + 1]));
        }

        return ServiceAnswer.Text(
            HttpStatusCode.OK,
            $"{{\"took\":1,\"errors\":{(items.Exists(item => item.Contains("error", StringComparison.Ordinal)) ? "true" : "false")},\"items\":["
                + $"{string.Join(',', items)}]}}");
    }

    private string CreateOne(string id, string document)
    {
        if (_documents.ContainsKey(id))
        {
            world.Meets(Fault.IndexHasDocument);
            return Item(id, 409, "version_conflict_engine_exception");
        }

        if (LogModel.IsRefused(document))
        {
            world.Meets(Fault.IndexRefusesDocument);
            return plan.HasFailureStore
                ? $"{{\"create\":{{\"_id\":\"{id}\",\"status\":201,\"failure_store\":\"used\"}}}}"
                : Item(id, 400, "document_parsing_exception");
        }

        bool fails = world.Random.NextDouble() < world.StoreFaults.FailedEntry;
        bool isStored = !fails || world.Random.Next(2) == 0;
        if (isStored)
        {
            _documents.Add(id, document);
            _texts.Add(document);
            world.Trace("indexed", id);
        }

        if (!fails || defect == Defect.BelieveFailedDocuments)
        {
            return $"{{\"create\":{{\"_id\":\"{id}\",\"status\":201}}}}";
        }

        world.Meets(Fault.IndexFailsDocument);
        return isStored ? Item(id, 503, "unavailable_shards_exception") : Item(id, 429, "es_rejected_execution_exception");
    }

    private static string Item(string id, int status, string type, string reason = "simulated") =>
        $"{{\"create\":{{\"_id\":\"{id}\",\"status\":{status},\"error\":{{\"type\":\"{type}\",\"reason\":\"{reason}\"}}}}}}";
}
