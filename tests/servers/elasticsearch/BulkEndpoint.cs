using System.Globalization;
using System.Text;
using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Http;

namespace ElasticsearchServer;

/// <summary><c>POST /_bulk</c> and <c>POST /{index}/_bulk</c>, with the faults of the script.</summary>
internal sealed class BulkEndpoint(BulkService service, BulkExchanges exchanges, Func<ServerSettings> settings)
{
    private static readonly string[] MediaTypes =
        ["application/x-ndjson", "application/json", "application/vnd.elasticsearch+x-ndjson", "application/vnd.elasticsearch+json"];

    public async Task HandleAsync(HttpContext context)
    {
        (int number, FaultRule? rule, int inFlight) = exchanges.Begin();
        BulkExchange exchange =
            new(number, rule?.Fault ?? ServerFault.None, 0, null, [], 0, 0, IsGzip: false, inFlight, context.Request.Headers.Expect.Count > 0);
        try
        {
            await HandleAsync(context, rule, exchange);
        }
        catch (ApiException exception)
        {
            exchanges.Note(exchange with { Status = exception.Status, Error = exception.Type });
            await ServerHost.AnswerAsync(context, exception);
        }
        finally
        {
            exchanges.End();
        }
    }

    private async Task HandleAsync(HttpContext context, FaultRule? rule, BulkExchange exchange)
    {
        if (rule?.DelayMs > 0)
        {
            await Task.Delay(rule.DelayMs, context.RequestAborted);
        }

        if (rule?.Fault == ServerFault.ResetBeforeCommit)
        {
            exchanges.Note(exchange);
            context.Abort();
            return;
        }

        ServerSettings now = settings();
        Credentials.Require(context.Request, now);
        string mediaType = context.Request.ContentType?.Split(';')[0].Trim() ?? "";
        if (!MediaTypes.Contains(mediaType, StringComparer.Ordinal))
        {
            throw new ApiException(406, "media_type_header_exception", $"Invalid media-type value on headers [Content-Type: {mediaType}]");
        }

        RequestBody body = await RequestBody.ReadAsync(context.Request, now.MaxContentBytes);
        List<BulkAction> actions = BulkLines.Read(body.Bytes, context.Request.RouteValues["index"] as string);
        exchange =
            exchange with { Ids = [.. actions.Select(action => action.Id ?? "")], Bytes = body.Bytes.Length, WireBytes = body.WireBytes, IsGzip = body.IsGzip };
        if (rule?.Fault == ServerFault.HangBeforeCommit)
        {
            exchanges.Note(exchange);
            await UntilGoneAsync(context);
            return;
        }

        if (rule?.Fault == ServerFault.Answer)
        {
            context.Response.Headers.RetryAfter = rule.RetryAfter?.ToString(CultureInfo.InvariantCulture);
            exchanges.Note(exchange with { Status = rule.Status, Error = rule.Type });
            await ServerHost.AnswerAsync(context, new ApiException(rule.Status, rule.Type, rule.Reason));
            return;
        }

        List<ItemResult> items = service.Execute(actions, now, context.Request.Query["pipeline"], rule?.Fault == ServerFault.FailItems ? rule : null);
        await AnswerAsync(context, rule?.Fault ?? ServerFault.None, items, exchange);
    }

    private async Task AnswerAsync(HttpContext context, ServerFault fault, List<ItemResult> items, BulkExchange exchange)
    {
        exchanges.Note(exchange with { Status = fault is ServerFault.CommitThenReset or ServerFault.CommitThenHang ? 0 : 200 });
        switch (fault)
        {
            case ServerFault.CommitThenReset:
                context.Abort();
                return;
            case ServerFault.CommitThenHang:
                await UntilGoneAsync(context);
                return;
            case ServerFault.FewerItems:
                items.RemoveAt(items.Count - 1);
                break;
            case ServerFault.MoreItems:
                items.Add(items[^1]);
                break;
            case ServerFault.OtherOrder:
                items.Reverse();
                break;
        }

        JsonObject answer = FilterPath.Apply(BulkAnswer.Of(items), context.Request.Query["filter_path"]);
        byte[] bytes = fault == ServerFault.Page ? Encoding.UTF8.GetBytes("<html><body>Welcome</body></html>") : Encoding.UTF8.GetBytes(answer.ToJsonString());
        bool isCut = fault == ServerFault.CommitThenCut;
        int length = fault == ServerFault.HalfJson || isCut ? bytes.Length / 2 : bytes.Length;
        context.Response.Headers["X-Elastic-Product"] = "Elasticsearch";
        context.Response.ContentType = fault == ServerFault.Page ? "text/html" : "application/json";
        context.Response.ContentLength = isCut ? bytes.Length : length;
        await context.Response.Body.WriteAsync(bytes.AsMemory(0, length));
        if (isCut)
        {
            await context.Response.Body.FlushAsync();
            context.Abort();
        }
    }

    private static async Task UntilGoneAsync(HttpContext context)
    {
        var gone = new TaskCompletionSource();
        await using (context.RequestAborted.Register(gone.SetResult))
        {
            await gone.Task;
        }
    }
}
