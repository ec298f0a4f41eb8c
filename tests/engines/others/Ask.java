import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Scanner;

import org.apache.jena.query.QueryExecution;
import org.apache.jena.query.QueryExecutionFactory;
import org.apache.jena.query.ResultSetFormatter;
import org.apache.jena.rdf.model.Model;
import org.apache.jena.riot.RDFDataMgr;
import org.eclipse.rdf4j.query.resultio.sparqljson.SPARQLResultsJSONWriter;
import org.eclipse.rdf4j.repository.RepositoryConnection;
import org.eclipse.rdf4j.repository.sail.SailRepository;
import org.eclipse.rdf4j.rio.RDFFormat;
import org.eclipse.rdf4j.sail.memory.MemoryStore;

/**
 * Asks Jena or RDF4J. A line of standard input is a file, a tab and a query in Base64; a line of standard output is
 * "ok" or "fault", a tab, and SPARQL's JSON results or the message in Base64.
 */
public class Ask {
    interface Engine {
        byte[] ask(String file, String query) throws Exception;
    }

    public static void main(String[] arguments) {
        Engine engine = arguments[0].equals("jena") ? jena() : rdf4j();
        Scanner lines = new Scanner(System.in, StandardCharsets.UTF_8);
        while (lines.hasNextLine()) {
            String[] asked = lines.nextLine().split("\t");
            String query = new String(Base64.getDecoder().decode(asked[1]), StandardCharsets.UTF_8);
            try {
                say("ok", engine.ask(asked[0], query));
            } catch (Exception | StackOverflowError fault) {
                say("fault", String.valueOf(fault).getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    static void say(String kind, byte[] what) {
        System.out.println(kind + "\t" + Base64.getEncoder().encodeToString(what));
    }

    static Engine jena() {
        Map<String, Model> models = new HashMap<>();
        return (file, query) -> {
            Model model = models.computeIfAbsent(file, RDFDataMgr::loadModel);
            ByteArrayOutputStream results = new ByteArrayOutputStream();
            try (QueryExecution execution = QueryExecutionFactory.create(query, model)) {
                ResultSetFormatter.outputAsJSON(results, execution.execSelect());
            }
            return results.toByteArray();
        };
    }

    static Engine rdf4j() {
        Map<String, RepositoryConnection> connections = new HashMap<>();
        return (file, query) -> {
            RepositoryConnection connection = connections.get(file);
            if (connection == null) {
                connection = new SailRepository(new MemoryStore()).getConnection();
                connections.put(file, connection);
                try (InputStream triples = Files.newInputStream(new File(file).toPath())) {
                    connection.add(triples, "", RDFFormat.NTRIPLES);
                }
            }
            ByteArrayOutputStream results = new ByteArrayOutputStream();
            connection.prepareTupleQuery(query).evaluate(new SPARQLResultsJSONWriter(results));
            return results.toByteArray();
        };
    }
}
